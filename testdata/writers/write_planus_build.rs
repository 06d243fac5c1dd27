// Has planus make Rust of what it needs of the schema of TensorFlow Lite: the same fields in the same slots.
const SCHEMA: &str = r#"
file_identifier "TFL3";
root_type Model;
table OperatorCode { deprecated_builtin_code: int8; custom_code: string; version: int32 = 1; builtin_code: int32; }
table Tensor { shape: [int32]; type: uint8; buffer: uint32; name: string; }
table Operator { opcode_index: uint32; inputs: [int32]; outputs: [int32]; }
table SubGraph { tensors: [Tensor]; inputs: [int32]; outputs: [int32]; operators: [Operator]; name: string; }
table Buffer { data: [uint8]; }
table Model { version: uint32; operator_codes: [OperatorCode]; subgraphs: [SubGraph]; description: string; buffers: [Buffer]; }
"#;

fn main() {
    let out = std::path::PathBuf::from(std::env::var("OUT_DIR").unwrap());
    std::fs::write(out.join("model.fbs"), SCHEMA).unwrap();
    let declarations = planus_translation::translate_files(&[out.join("model.fbs")]).expect("the schema is refused");
    std::fs::write(out.join("model.rs"), planus_codegen::generate_rust(&declarations, false).unwrap()).unwrap();
}
