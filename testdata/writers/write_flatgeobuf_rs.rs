// Writes what a version of the crate flatgeobuf writes: three points with an index.
use flatgeobuf::{ColumnType, FgbWriter, GeometryType};
use geozero::{ColumnValue, PropertyProcessor, geojson::GeoJson};
use std::{fs::File, io::BufWriter};

fn main() {
    let out = std::env::args().nth(1).unwrap();
    let mut writer = FgbWriter::create("points", GeometryType::Point).unwrap();
    writer.add_column("n", ColumnType::Long, |_, _| {});
    for i in 0..3i64 {
        let point = format!(r#"{{"type":"Point","coordinates":[{i},{i}]}}"#);
        writer.add_feature_geom(GeoJson(&point), |f| {
            f.property(0, "n", &ColumnValue::Long(i)).unwrap();
        }).unwrap();
    }
    writer.write(BufWriter::new(File::create(out + ".fgb").unwrap())).unwrap();
}
