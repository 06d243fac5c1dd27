//! A test puts the generated code of its schemas here. There is none to begin with.

pub const PACKS: [crate::Pack; 0] = [];
