// Package arrow opens Arrow's IPC files and streams by their metadata.
//
// [Open] reads the end of a file and verifies its footer: the schema, and where the batches are. [OpenStream]
// reads the first message of a stream, its schema. A batch is read and verified when it is asked for
// ([File.Batch], [File.Batches], [Stream.Next]), and held against the schema: [Batch.Columns] says of each
// column how many values it has, how many are null, and where in the file each of its buffers is.
//
//	f, err := arrow.Open(ctx, file, size, nil)
//	if err != nil { … }
//	for _, field := range f.Schema().Fields {
//		fmt.Println(field.Name, field.Type())
//	}
//	for batch, err := range f.Batches(ctx) {
//		if err != nil { … }
//		for _, c := range batch.Columns() {
//			fmt.Println(c.Field.Name, c.Length, c.Nulls, c.Buffers)
//		}
//	}
//
// What the buffers hold is for others to decode: [File.Stream] gives them batches as a stream, each message
// verified.
//
// # What is checked
//
// After a nil error of Open or OpenStream each field of the schema has a type that the format
// knows, with the children that it needs. After a nil error of whatever gives a batch it has a field node and the
// buffers for each column, no count is negative, each top column has as many values as the batch has rows, and all buffers lie in the
// body, which lies in the file. That a buffer is long enough for its values is not looked at, nor is any
// buffer.
//
// # What deviates and opens all the same
//
// As other readers do, this one finds everything in a file from its footer. So a schema message without
// its length (Polars 2), a wrong mark at the beginning, and messages that the footer omits are not met. Metadata of
// applications may be any bytes (pyarrow), and nodes, buffers and blocks need an alignment of four only (Polars before 1.21). A stream may end without its
// mark, and what comes after the mark is not read. Nodes and buffers that no column needs are passed over.
//
// All that is exported here is meant to stay.
package arrow
