// Runs a program for WASI, which can use the files of this machine: node tests/foreign/wasi.mjs PROGRAM ARGUMENT…
import {readFile} from 'node:fs/promises';
import {WASI} from 'node:wasi';

const wasi = new WASI({
  version: 'preview1',
  args: process.argv.slice(2),
  env: process.env,
  preopens: {'/': '/'},
});
const program = await WebAssembly.compile(await readFile(process.argv[2]));
process.exit(wasi.start(await WebAssembly.instantiate(program, wasi.getImportObject())));
