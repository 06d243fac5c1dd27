// Writes a model of TensorFlow Lite with code that a version of planus made.
#[allow(unused, clippy::all)]
mod generated {
    include!(concat!(env!("OUT_DIR"), "/model.rs"));
}
use generated::*;

fn main() {
    let tensor = |name: &str, buffer| Tensor { shape: Some(vec![1, 2]), type_: 0, buffer, name: Some(name.into()) };
    let model = Model {
        version: 3,
        operator_codes: Some(vec![OperatorCode { deprecated_builtin_code: 98, custom_code: None, version: 1, builtin_code: 98 }]), // LEAKY_RELU
        subgraphs: Some(vec![SubGraph {
            tensors: Some(vec![tensor("x", 0), tensor("y", 0), tensor("w", 1)]),
            inputs: Some(vec![0]),
            outputs: Some(vec![1]),
            operators: Some(vec![Operator { opcode_index: 0, inputs: Some(vec![0]), outputs: Some(vec![1]) }]),
            name: Some("main".into()),
        }]),
        description: Some("of planus".into()),
        buffers: Some(vec![Buffer { data: None }, Buffer { data: Some(vec![0, 0, 128, 63, 0, 0, 0, 64]) }]),
    };
    let mut builder = planus::Builder::new();
    let mut bytes = builder.finish(&model, Some(*b"TFL3")).to_vec();
    // planus 1.3.0 writes an identifier before the root's offset, where no reader looks for it: the two change places.
    if &bytes[..4] == b"TFL3" {
        let root = u32::from_le_bytes(bytes[4..8].try_into().unwrap()) + 4;
        bytes[..4].copy_from_slice(&root.to_le_bytes());
        bytes[4..8].copy_from_slice(b"TFL3");
    }
    std::fs::write(std::env::args().nth(1).unwrap() + ".tflite", bytes).unwrap();
}
