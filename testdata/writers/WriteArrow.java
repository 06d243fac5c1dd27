// Writes what a version of Arrow Java writes: a file and a stream with text, numbers and nulls.
import java.io.FileOutputStream;
import java.util.List;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.ipc.ArrowFileWriter;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.apache.arrow.vector.ipc.ArrowWriter;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

public class WriteArrow {
    public static void main(String[] args) throws Exception {
        Schema schema = new Schema(List.of(
                Field.nullable("a", new ArrowType.Int(64, true)),
                Field.nullable("b", new ArrowType.Utf8())));
        for (boolean file : new boolean[] {true, false}) {
            try (RootAllocator allocator = new RootAllocator();
                    VectorSchemaRoot root = VectorSchemaRoot.create(schema, allocator);
                    FileOutputStream out = new FileOutputStream(args[0] + (file ? ".arrow" : ".arrows"));
                    ArrowWriter writer = file
                            ? new ArrowFileWriter(root, new DictionaryProvider.MapDictionaryProvider(), out.getChannel())
                            : new ArrowStreamWriter(root, new DictionaryProvider.MapDictionaryProvider(), out.getChannel())) {
                writer.start();
                for (int batch = 0; batch < 2; batch++) {
                    BigIntVector a = (BigIntVector) root.getVector("a");
                    VarCharVector b = (VarCharVector) root.getVector("b");
                    root.allocateNew();
                    a.setSafe(0, 1);
                    a.setSafe(1, 2);
                    b.setSafe(0, "x".getBytes());
                    b.setSafe(1, "yy".getBytes());
                    root.setRowCount(3);
                    writer.writeBatch();
                }
                writer.end();
            }
        }
    }
}
