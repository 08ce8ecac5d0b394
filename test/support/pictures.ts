/** The parts of a PNG that say what it is: of so many pixels, with so many bytes of something in between, up to its end. */
export function png(width: number, height: number, more = 16): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  return Buffer.concat([
    Buffer.from('\u0089PNG\r\n\u001a\n', 'latin1'),
    part('IHDR', head),
    part('IDAT', Buffer.alloc(more, 7)),
    part('IEND', Buffer.alloc(0)),
  ]);
}

/** Nobody here looks at the sum at its end. */
function part(name: string, data: Buffer): Buffer {
  const out = Buffer.alloc(12 + data.length);
  out.writeUInt32BE(data.length, 0);
  out.write(name, 4, 'latin1');
  data.copy(out, 8);
  return out;
}
