// Reads files and streams with a version of arrow-rs, and says how many rows each has.
use arrow_ipc::reader::{FileReader, StreamReader};
use std::{error::Error, fs::File, io::BufReader};

fn read(name: &str) -> Result<usize, Box<dyn Error>> {
    let file = BufReader::new(File::open(name)?);
    let mut n = 0;
    if name.ends_with('s') {
        for batch in StreamReader::try_new(file, None)? {
            n += batch?.num_rows();
        }
    } else {
        for batch in FileReader::try_new(file, None)? {
            n += batch?.num_rows();
        }
    }
    Ok(n)
}

fn main() {
    for name in std::env::args().skip(1) {
        match read(&name) {
            Ok(n) => println!("rows {n}"),
            Err(e) => println!("error {}", e.to_string().replace('\n', " ").chars().take(160).collect::<String>()),
        }
    }
}
