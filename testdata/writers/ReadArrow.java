// Reads files and streams with a version of Arrow Java, and says how many rows each has.
import java.io.FileInputStream;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.ipc.ArrowFileReader;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.ipc.ArrowStreamReader;

public class ReadArrow {
    public static void main(String[] args) {
        for (String name : args) {
            long rows = 0;
            try (RootAllocator allocator = new RootAllocator();
                    FileInputStream in = new FileInputStream(name);
                    ArrowReader reader = name.endsWith("s")
                            ? new ArrowStreamReader(in, allocator)
                            : new ArrowFileReader(in.getChannel(), allocator)) {
                while (reader.loadNextBatch()) {
                    rows += reader.getVectorSchemaRoot().getRowCount();
                }
                System.out.println("rows " + rows);
            } catch (Throwable e) {
                String text = e.toString().replace('\n', ' ');
                System.out.println("error " + text.substring(0, Math.min(160, text.length())));
            }
        }
    }
}
