export function addressBytes(address: string): Buffer {
  const dotted = address.slice(address.lastIndexOf(':') + 1);
  if (!dotted.includes('.')) return v6Bytes(address, Buffer.alloc(0));
  const v4 = Buffer.from(dotted.split('.').map(Number));
  return dotted === address ? v4 : v6Bytes(address.slice(0, -dotted.length), v4);
}

function v6Bytes(groups: string, end: Buffer): Buffer {
  const [before = '', after = ''] = groups.split('::');
  const head = groupBytes(before);
  const tail = Buffer.concat([groupBytes(after), end]);
  return Buffer.concat([head, Buffer.alloc(16 - head.length - tail.length), tail]);
}

function groupBytes(groups: string): Buffer {
  const parts = groups.split(':').filter((group) => group !== '');
  return Buffer.from(parts.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
