// All products with a given width of fingerprints and size of ids. tests/CMakeLists.txt generates a source file per
// such pair.
#pragma once

#include <cstddef>

#include "storage/products.hpp"

namespace products {

template <form Form, template <std::size_t> class Fingerprint, std::size_t Bits, std::size_t IdBytes>
std::size_t check_offsets() {
  for (const auto& [of, check] :
       table_of<row<Form, Fingerprint, Bits, IdBytes, 1>, row<Form, Fingerprint, Bits, IdBytes, 2>,
                row<Form, Fingerprint, Bits, IdBytes, 4>, row<Form, Fingerprint, Bits, IdBytes, 8>>()) {
    try {
      check();
    } catch (const std::exception& error) {
      throw std::logic_error(of.name() + ": " + error.what());
    }
  }
  return 4;
}

template <template <std::size_t> class Fingerprint, std::size_t Bits, std::size_t IdBytes>
std::size_t check_forms() {
  return check_offsets<form::flat, Fingerprint, Bits, IdBytes>() +
         check_offsets<form::fixed, Fingerprint, Bits, IdBytes>() +
         check_offsets<form::dynamic, Fingerprint, Bits, IdBytes>() +
         check_offsets<form::frozen, Fingerprint, Bits, IdBytes>() +
         check_offsets<form::view, Fingerprint, Bits, IdBytes>();
}

/// Throws: std::logic_error that names the product. Returns: the number of products.
template <std::size_t Bits, std::size_t IdBytes>
std::size_t check_all() {
  return check_forms<neardup::simhash, Bits, IdBytes>() + check_forms<neardup::minwise, Bits, IdBytes>();
}

}  // namespace products
