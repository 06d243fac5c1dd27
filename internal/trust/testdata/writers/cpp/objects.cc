// Reads buffers into the objects that flatc generated, and packs them again. Input
// and output are those of objects.py.

#include <cstdint>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>

// An assertion that fails ends a buffer and not the program.
#define FLATBUFFERS_ASSERT(condition) ((condition) ? (void)0 : throw std::logic_error(#condition))

#include "flatbuffers/flatbuffers.h"

using Pack = uint32_t (*)(flatbuffers::FlatBufferBuilder &, const uint8_t *);

template <typename T>
uint32_t PackAgain(flatbuffers::FlatBufferBuilder &builder, const uint8_t *buf) {
  const auto owned = flatbuffers::GetRoot<T>(buf)->UnPack();
  const auto offset = T::Pack(builder, owned);
  delete owned;
  return offset.o;
}

// Written by the test, for the schemas it made up: the headers, and
// `const Pack packs[]`.
#include "packs.h"

static std::string Unhex(const std::string &text) {
  std::string bytes;
  for (size_t i = 1; i + 1 < text.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    size_t which;
    bool prefixed, force;
    std::string identifier, data;
    words >> which >> prefixed >> force >> identifier >> data;
    identifier = Unhex(identifier);
    data = Unhex(data);
    flatbuffers::FlatBufferBuilder builder(1);
    builder.ForceDefaults(force);
    const char *id = identifier.empty() ? nullptr : identifier.c_str();
    uint32_t size = 0;
    try {
      const flatbuffers::Offset<void> root(packs[which](builder, reinterpret_cast<const uint8_t *>(data.data())));
      if (prefixed) {
        builder.FinishSizePrefixed(root, id);
      } else {
        builder.Finish(root, id);
      }
      size = builder.GetSize();
    } catch (const std::logic_error &) {
      // A vector of unions with one that holds nothing.
    }
    const uint8_t length[] = {static_cast<uint8_t>(size), static_cast<uint8_t>(size >> 8),
                              static_cast<uint8_t>(size >> 16), static_cast<uint8_t>(size >> 24)};
    fwrite(length, 1, sizeof(length), stdout);
    if (size > 0) fwrite(builder.GetBufferPointer(), 1, size, stdout);
  }
}
