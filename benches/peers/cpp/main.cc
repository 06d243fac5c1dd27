// The C++ Verifier of FlatBuffers with the code that flatc generates, timed on request.
//
// A benchmark starts this program once and talks to it over its standard streams, so that rounds of
// different verifiers can be interleaved. Requests and answers are lines:
//
//   works                     -> works Layout bench.Row ...
//   version                   -> version 25.12.19
//   run WORK FRAMING TABLES SIZE SET ITERATIONS FILE
//                             -> ok NANOSECONDS VERDICT
//   anything it cannot do     -> err REASON
//
// FILE holds buffers of SIZE bytes one after the other; they are copied until there are SET bytes of them,
// and verified in turn, each iteration one, going on where the last request stopped. FRAMING is plain or
// sized, for buffers that start with their own length. TABLES is the most tables of a buffer. The verdict is
// 1 for buffers that are accepted and 0 for ones that are refused. The last file is kept.

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "mod.inc"

namespace {

using flatbuffers::Verifier;

// Verifies with the library's own defaults but for the limit on tables. It is not inlined into the loop that
// times it, so that nothing can be carried from one iteration to the next.
template <typename T>
[[gnu::noinline]] bool Plain(const uint8_t* data, size_t size, const Verifier::Options& options) {
  Verifier verifier(data, size, options);
  return verifier.VerifyBuffer<T>(nullptr);
}

template <typename T>
[[gnu::noinline]] bool Sized(const uint8_t* data, size_t size, const Verifier::Options& options) {
  Verifier verifier(data, size, options);
  return verifier.VerifySizePrefixedBuffer<T>(nullptr);
}

using Verify = bool (*)(const uint8_t*, size_t, const Verifier::Options&);

struct Work {
  const char* name;
  Verify plain, sized;
};

const Work kWorks[] = {
#define WORK(name, type) {name, Plain<type>, Sized<type>},
#include "works.inc"
#undef WORK
};

// The buffers that are verified in turn, each at a multiple of 64 bytes.
class Ring {
 public:
  Ring() = default;
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;
  ~Ring() { std::free(arena_); }

  void Load(const std::string& path, size_t size, size_t set) {
    std::ostringstream key;
    key << size << ' ' << set << ' ' << path;
    if (key.str() == key_) return;
    std::ifstream in(path, std::ios::binary);
    if (!in) throw std::runtime_error(path + ": cannot be opened");
    std::vector<uint8_t> bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    if (in.bad() || size == 0 || bytes.empty() || bytes.size() % size != 0) throw std::runtime_error(path + ": cannot be read");
    const size_t rounds = set > bytes.size() ? (set + bytes.size() - 1) / bytes.size() : 1;
    size_ = size;
    stride_ = (size + 63) / 64 * 64;
    count_ = rounds * (bytes.size() / size);
    next_ = 0;
    std::free(arena_);
    arena_ = static_cast<uint8_t*>(std::aligned_alloc(64, stride_ * count_));
    if (arena_ == nullptr) throw std::runtime_error("no memory");
    for (size_t i = 0; i < count_; i++) {
      std::memcpy(arena_ + i * stride_, bytes.data() + i * size % bytes.size(), size);
    }
    key_ = key.str();
  }

  const uint8_t* Next() {
    const uint8_t* at = arena_ + next_ * stride_;
    if (++next_ == count_) next_ = 0;
    return at;
  }

  size_t size() const { return size_; }

 private:
  std::string key_;
  uint8_t* arena_ = nullptr;
  size_t size_ = 0, stride_ = 0, count_ = 0, next_ = 0;
};

std::string Run(std::istringstream& request) {
  static Ring ring;
  std::string name, framing, path;
  uint64_t tables = 0, size = 0, set = 0, iterations = 0;
  if (!(request >> name >> framing >> tables >> size >> set >> iterations) || request.get() != ' ' || !std::getline(request, path)) {
    throw std::runtime_error("run wants WORK FRAMING TABLES SIZE SET ITERATIONS FILE");
  }
  Verify verify = nullptr;
  for (const Work& w : kWorks) {
    if (name == w.name) verify = framing == "sized" ? w.sized : w.plain;
  }
  if (verify == nullptr) throw std::runtime_error("no work " + name);
  ring.Load(path, size, set);
  Verifier::Options options;
  options.max_tables = static_cast<flatbuffers::uoffset_t>(tables);

  uint64_t accepted = 0;
  const auto start = std::chrono::steady_clock::now();
  for (uint64_t i = 0; i < iterations; i++) {
    asm volatile("" ::: "memory");  // the bytes may have changed, for all the compiler knows
    accepted += verify(ring.Next(), ring.size(), options);
  }
  const auto elapsed = std::chrono::steady_clock::now() - start;
  if (accepted != 0 && accepted != iterations) throw std::runtime_error("the verdict changed between iterations");

  std::ostringstream answer;
  answer << "ok " << std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count() << ' ' << (accepted > 0);
  return answer.str();
}

std::string Answer(const std::string& line) {
  std::istringstream request(line);
  std::string verb;
  request >> verb;
  if (verb == "works") {
    std::string answer = "works";
    for (const Work& w : kWorks) answer += std::string(" ") + w.name;
    return answer;
  }
  if (verb == "version") {
    std::ostringstream answer;
    answer << "version " << FLATBUFFERS_VERSION_MAJOR << '.' << FLATBUFFERS_VERSION_MINOR << '.' << FLATBUFFERS_VERSION_REVISION;
    return answer.str();
  }
  if (verb == "run") return Run(request);
  throw std::runtime_error("want works, version or run");
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    std::string answer;
    try {
      answer = Answer(line);
    } catch (const std::exception& e) {
      answer = std::string("err ") + e.what();
    }
    std::cout << answer << std::endl;
  }
}
