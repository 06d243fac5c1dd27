"""Writes testdata/mcap/surveys.mcap with the package mcap (1.6.0): FlatBuffers messages, the last one damaged, and their schema.
run.py does not run it: `FOLDER/bin/python testdata/writers/write_mcap.py`, where FOLDER is a venv with mcap."""
import pathlib

from mcap.writer import CompressionType, Writer

testdata = pathlib.Path(__file__).parent.parent
flatbuffers = testdata / "flatbuffers"
message = (flatbuffers / "survey.bin").read_bytes()
with open(testdata / "mcap/surveys.mcap", "wb") as out:
    w = Writer(out, compression=CompressionType.NONE, chunk_size=4096)
    w.start(library="mcap")
    schema = w.register_schema("cave.survey.Survey", "flatbuffer", (flatbuffers / "survey.bfbs").read_bytes())
    surveys = w.register_channel("/surveys", "flatbuffer", schema)
    notes = w.register_channel("/notes", "json", 0)
    w.add_message(surveys, 1, message, 1)
    w.add_message(notes, 2, b'{"text": "not a FlatBuffer"}', 2)
    w.add_message(surveys, 3, (flatbuffers / "survey.defaults.bin").read_bytes(), 3)
    damaged = bytearray(message)
    damaged[0:4] = len(damaged).to_bytes(4, "little")
    w.add_message(surveys, 4, bytes(damaged), 4)
    w.finish()
