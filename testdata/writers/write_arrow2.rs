// Writes what a version of arrow2 writes, whose FlatBuffers are of planus: a file and a stream with text, numbers and nulls.
use arrow2::array::{Int64Array, Utf8Array};
use arrow2::chunk::Chunk;
use arrow2::datatypes::{DataType, Field, Schema};
use arrow2::io::ipc::write::{FileWriter, StreamWriter, WriteOptions};
use std::fs::File;

fn main() {
    let out = std::env::args().nth(1).unwrap();
    let schema = Schema::from(vec![Field::new("a", DataType::Int64, true), Field::new("b", DataType::Utf8, true)]);
    let chunk = Chunk::new(vec![
        Int64Array::from([Some(1), Some(2), None]).boxed(),
        Utf8Array::<i32>::from([Some("x"), Some("yy"), None]).boxed(),
    ]);
    let options = WriteOptions { compression: None };
    let mut file = FileWriter::try_new(File::create(out.clone() + ".arrow").unwrap(), schema.clone(), None, options).unwrap();
    file.write(&chunk, None).unwrap();
    file.finish().unwrap();
    let mut stream = StreamWriter::new(File::create(out + ".arrows").unwrap(), options);
    stream.start(&schema, None).unwrap();
    stream.write(&chunk, None).unwrap();
    stream.finish().unwrap();
}
