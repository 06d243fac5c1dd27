// Writes what a version of arrow-rs writes: a file and a stream with text, numbers and nulls.
use arrow_array::{Int64Array, RecordBatch, StringArray};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{DataType, Field, Schema};
use std::{fs::File, sync::Arc};

fn main() {
    let out = std::env::args().nth(1).unwrap();
    let schema = Arc::new(Schema::new(vec![Field::new("a", DataType::Int64, true), Field::new("b", DataType::Utf8, true)]));
    let a = Int64Array::from(vec![Some(1), Some(2), None]);
    let b = StringArray::from(vec![Some("x"), Some("yy"), None]);
    let batch = RecordBatch::try_new(schema.clone(), vec![Arc::new(a), Arc::new(b)]).unwrap();
    let mut file = FileWriter::try_new(File::create(out.clone() + ".arrow").unwrap(), &schema).unwrap();
    file.write(&batch).unwrap();
    file.finish().unwrap();
    let mut stream = StreamWriter::try_new(File::create(out + ".arrows").unwrap(), &schema).unwrap();
    stream.write(&batch).unwrap();
    stream.finish().unwrap();
}
