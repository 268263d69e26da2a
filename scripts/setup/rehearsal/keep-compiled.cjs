// Loaded before the program in a rehearsal: when the program ends, all functions that were called are in its compile cache.
//
// V8 compiles a function when it is first called. Node's own cache is made when a file is loaded, before that. V8 can be asked again later, but Node
// offers it for CommonJS only, so this asks Node's inner parts, for the program's files as they are loaded. They are not needed to use the cache: V8 and
// Node check each entry of it as they check their own, and do without it where it does not fit.
const { internalBinding } = require("internal/test/binding");
const { readdirSync, readFileSync, renameSync, writeFileSync } = require("node:fs");
const { flushCompileCache, getCompileCacheDir, syncBuiltinESMExports } = require("node:module");
const path = require("node:path");
const { pathToFileURL } = require("node:url");
const v8 = require("node:v8");
const { isMainThread } = require("node:worker_threads");
const { crc32 } = require("node:zlib");

const { ModuleWrap } = internalBinding("module_wrap");
const { source_text_module_default_hdo: loadedByNode } = internalBinding("symbols");

// Compiled code is only good for the flags it was made with. A process loads its provider before its first prompt, when this is still off.
const { setFlagsFromString } = v8;
v8.setFlagsFromString = (flag) => {
  if (flag !== "--turbofan") setFlagsFromString(flag);
};
syncBuiltinESMExports();

if (isMainThread) process.on("exit", keepCompiled);

function keepCompiled() {
  // Node's own entries first: each tells the file that it is for, and the flags.
  flushCompileCache();
  const entries = entriesIn(getCompileCacheDir());
  const chunks = path.join(path.dirname(process.argv[1]), "chunks");
  let count = 0;
  for (const name of readdirSync(chunks)) {
    const source = name.endsWith(".js") ? readFileSync(path.join(chunks, name)) : Buffer.alloc(0);
    const entry = entries.get(crc32(source));
    if (entry === undefined) continue;
    // The same address, text and way of loading: V8 gives what it has, with all that was compiled since.
    const address = pathToFileURL(path.join(chunks, name)).href;
    const compiled = new ModuleWrap(address, undefined, source.toString(), 0, 0, loadedByNode).createCachedData();
    if (!sameMaker(compiled, entry.bytes)) continue;
    const header = Buffer.from(entry.bytes.subarray(0, headerLength));
    header.writeUInt32LE(compiled.length, at.length);
    header.writeUInt32LE(crc32(compiled), at.checksum);
    writeFileSync(`${entry.file}.unfinished`, Buffer.concat([header, compiled]));
    renameSync(`${entry.file}.unfinished`, entry.file);
    count += 1;
  }
  process.stderr.write(`kept ${count} files\n`);
}

/** Node's header of an entry: five numbers. The rest is V8's. */
const headerLength = 20;
const at = { sourceChecksum: 12, length: 8, checksum: 16 };

/** By the checksum of the file's text. What does not look as expected is left alone. */
function entriesIn(folder) {
  const entries = new Map();
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name);
    const bytes = readFileSync(file);
    if (bytes.length <= headerLength) continue;
    const data = bytes.subarray(headerLength);
    if (bytes.readUInt32LE(at.length) !== data.length || bytes.readUInt32LE(at.checksum) !== crc32(data)) continue;
    entries.set(bytes.readUInt32LE(at.sourceChecksum), { file, bytes });
  }
  return entries;
}

/** V8's own header: its version, the length of the text, its flags, its snapshot. */
function sameMaker(compiled, entry) {
  return compiled.subarray(0, 20).equals(entry.subarray(headerLength, headerLength + 20));
}
