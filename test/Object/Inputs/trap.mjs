import { readFileSync } from 'node:fs';
const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]));
try { instance.exports.run(0); } catch (e) { console.log(e.stack); }
