// Does what scripts say with the C++ builder. See script_test.go for the calls.
//
// Reads the scripts from standard input, one after the other, and writes each buffer
// with its length before it, a little-endian uint32.

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "flatbuffers/flatbuffers.h"

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using Words = std::vector<std::string>;

static std::string Unhex(const std::string &text) {
  std::string bytes;
  for (size_t i = 1; i + 1 < text.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

static size_t Number(const std::string &text) { return std::stoull(text); }

static flatbuffers::voffset_t Slot(const std::string &text) {
  return static_cast<flatbuffers::voffset_t>(4 + 2 * Number(text));
}

// Reads a scalar: floats are given by their bits.
template <typename T>
T Scalar(const std::string &text) {
  return text[0] == '-' ? static_cast<T>(std::stoll(text)) : static_cast<T>(std::stoull(text));
}
template <>
float Scalar<float>(const std::string &text) {
  const auto bits = static_cast<uint32_t>(std::stoull(text));
  float f;
  memcpy(&f, &bits, sizeof(f));
  return f;
}
template <>
double Scalar<double>(const std::string &text) {
  const uint64_t bits = std::stoull(text);
  double f;
  memcpy(&f, &bits, sizeof(f));
  return f;
}

// Calls a function with a value of the type that a script names.
template <typename F>
auto Typed(const std::string &name, F f) {
  if (name == "bool") return f(uint8_t()); // as generated code stores them
  if (name == "i8") return f(int8_t());
  if (name == "u8") return f(uint8_t());
  if (name == "i16") return f(int16_t());
  if (name == "u16") return f(uint16_t());
  if (name == "i32") return f(int32_t());
  if (name == "u32") return f(uint32_t());
  if (name == "i64") return f(int64_t());
  if (name == "u64") return f(uint64_t());
  if (name == "f32") return f(float());
  if (name == "f64") return f(double());
  throw std::invalid_argument("no such type: " + name);
}

template <typename T>
uint32_t Vector(FlatBufferBuilder &b, const std::string &way, const std::vector<T> &values) {
  if (way == "0") return b.CreateVector(values).o;
  if (way == "1") return b.CreateVector<T>(values.size(), [&](size_t i) { return values[i]; }).o;
  b.StartVector<T>(values.size());
  for (size_t i = values.size(); i-- > 0;) b.PushElement(values[i]);
  return b.EndVector(values.size());
}

// Joins the parts of a struct, from `at` to the next "/".
static std::string Struct(const Words &w, size_t &at) {
  std::string bytes;
  for (; at < w.size() && w[at] != "/"; at++) {
    const size_t colon = w[at].find(':');
    const std::string name = w[at].substr(0, colon), text = w[at].substr(colon + 1);
    if (name == "pad") {
      bytes.append(Number(text), '\0');
    } else {
      Typed(name, [&](auto zero) {
        const auto v = flatbuffers::EndianScalar(Scalar<decltype(zero)>(text));
        bytes.append(reinterpret_cast<const char *>(&v), sizeof(v));
        return 0;
      });
    }
  }
  return bytes;
}

static const uint8_t *Bytes(const std::string &s) { return reinterpret_cast<const uint8_t *>(s.data()); }

// What AddStruct and CreateStruct do for a type of that alignment.
static uint32_t PushStruct(FlatBufferBuilder &b, size_t align, const std::string &bytes) {
  b.Align(align);
  b.PushBytes(Bytes(bytes), bytes.size());
  return b.GetSize();
}

static uint32_t Structs(FlatBufferBuilder &b, const Words &w) {
  const size_t size = Number(w[2]), align = Number(w[3]);
  std::vector<std::string> all;
  for (size_t at = 4; at < w.size();) all.push_back(Struct(w, ++at));
  if (w[1] == "0") {
    uint8_t *to = nullptr;
    const auto made = b.CreateUninitializedVector(all.size(), size, align, &to);
    for (const auto &bytes : all) {
      memcpy(to, bytes.data(), size);
      to += size;
    }
    return made;
  }
  b.StartVector(all.size(), size, align);
  for (size_t i = all.size(); i-- > 0;) b.PushBytes(Bytes(all[i]), size);
  return b.EndVector(all.size());
}

static uint32_t Offsets(FlatBufferBuilder &b, const Words &w, const std::vector<uint32_t> &ids) {
  std::vector<Offset<void>> all;
  bool holes = false;
  for (size_t i = 1; i < w.size(); i++) {
    holes = holes || w[i] == "-";
    all.emplace_back(w[i] == "-" ? 0 : ids[Number(w[i])]);
  }
  if (!holes) return b.CreateVector(all).o;
  b.StartVector<Offset<void>>(all.size());
  for (size_t i = all.size(); i-- > 0;) {
    if (all[i].IsNull()) {
      b.PushElement(uint32_t(0));
    } else {
      b.PushElement(all[i]);
    }
  }
  return b.EndVector(all.size());
}

// A buffer that is being written, and what was made in it.
struct Draft {
  std::unique_ptr<FlatBufferBuilder> b;
  std::vector<uint32_t> ids;
  flatbuffers::uoffset_t table = 0;
};

int main() {
  std::vector<Draft> drafts;
  std::unique_ptr<FlatBufferBuilder> used;
  std::string result, line;
  size_t alignment = 1;
  while (std::getline(std::cin, line)) {
    std::istringstream stream(line);
    Words w;
    for (std::string word; stream >> word;) w.push_back(word);
    const std::string &call = w[0];
    if (call == "buffer") {
      const size_t capacity = Number(w[1]);
      Draft d;
      if (used && capacity % 2 == 0) {
        d.b = std::move(used); // builders can be used again
        d.b->Clear();
      } else {
        d.b = std::make_unique<FlatBufferBuilder>(capacity);
      }
      d.b->ForceDefaults(w[2] == "1");
      d.b->DedupVtables(capacity % 3 != 0);
      drafts.push_back(std::move(d));
      continue;
    }
    Draft &d = drafts.back();
    FlatBufferBuilder &b = *d.b;
    const auto made = [&](uint32_t id) { d.ids.push_back(id); };
    if (call == "string") {
      made(w[1] == "1" ? b.CreateSharedString(Unhex(w[2])).o : b.CreateString(Unhex(w[2])).o);
    } else if (call == "bytes") {
      const std::string bytes = Unhex(w[1]);
      made(b.CreateVector(Bytes(bytes), bytes.size()).o);
    } else if (call == "nest") {
      b.ForceVectorAlignment(result.size(), 1, alignment);
      made(b.CreateVector(Bytes(result), result.size()).o);
    } else if (call == "vector") {
      made(Typed(w[2], [&](auto zero) {
        std::vector<decltype(zero)> values;
        for (size_t i = 3; i < w.size(); i++) values.push_back(Scalar<decltype(zero)>(w[i]));
        return Vector(b, w[1], values);
      }));
    } else if (call == "offsets") {
      made(Offsets(b, w, d.ids));
    } else if (call == "structs") {
      made(Structs(b, w));
    } else if (call == "lone") {
      size_t at = 4;
      made(PushStruct(b, Number(w[2]), Struct(w, at)));
    } else if (call == "table") {
      d.table = b.StartTable();
    } else if (call == "add") {
      Typed(w[2], [&](auto zero) {
        b.AddElement(Slot(w[1]), Scalar<decltype(zero)>(w[3]), Scalar<decltype(zero)>(w[4]));
        return 0;
      });
    } else if (call == "set") {
      Typed(w[2], [&](auto zero) {
        b.AddElement(Slot(w[1]), Scalar<decltype(zero)>(w[3]));
        return 0;
      });
    } else if (call == "struct") {
      size_t at = 5;
      b.AddStructOffset(Slot(w[1]), PushStruct(b, Number(w[3]), Struct(w, at)));
    } else if (call == "offset") {
      b.AddOffset(Slot(w[1]), Offset<void>(d.ids[Number(w[2])]));
    } else if (call == "end") {
      made(b.EndTable(d.table));
    } else if (call == "need") {
      b.Required(Offset<flatbuffers::Table>(d.ids.back()), Slot(w[1]));
    } else if (call == "finish") {
      const Offset<void> root(d.ids[Number(w[1])]);
      const std::string identifier = Unhex(w[3]);
      const char *id = identifier.empty() ? nullptr : identifier.c_str();
      if (w[2] == "1") {
        b.FinishSizePrefixed(root, id);
      } else {
        b.Finish(root, id);
      }
      result.assign(reinterpret_cast<const char *>(b.GetBufferPointer()), b.GetSize());
      alignment = b.GetBufferMinAlignment();
      used = std::move(d.b);
      drafts.pop_back();
      if (drafts.empty()) {
        const auto size = static_cast<uint32_t>(result.size());
        for (int shift = 0; shift < 32; shift += 8) putchar(static_cast<int>(size >> shift & 0xff));
        fwrite(result.data(), 1, result.size(), stdout);
      }
    } else {
      throw std::invalid_argument("no such call: " + line);
    }
  }
}
