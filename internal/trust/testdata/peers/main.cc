// Says of each buffer in a file, one after the other, each with its size before it as a 32-bit number,
// whether the Verifier with the code that flatc generates accepts it: 1, or 0.

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

#include "peers_generated.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ifstream in(argv[1], std::ios::binary);
  const std::vector<uint8_t> all((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  for (size_t at = 0; at + 4 <= all.size();) {
    uint32_t size;
    std::memcpy(&size, &all[at], 4);
    at += 4;
    // At an address that suits all types, with nothing after it that belongs to the buffer.
    std::vector<uint64_t> words(size / 8 + 1);
    std::memcpy(words.data(), all.data() + at, size);
    at += size;
    flatbuffers::Verifier::Options options;
    options.max_depth = 64;
    options.max_tables = 1000000;
    flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t*>(words.data()), size, options);
    std::putchar(verifier.VerifyBuffer<peers::R>(nullptr) ? '1' : '0');
  }
  return 0;
}
