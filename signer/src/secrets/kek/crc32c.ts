/** CRC-32C (Castagnoli; RFC 3720, appendix B.4), by which Google checks what it is sent. */
const POLYNOMIAL = 0x82f63b78;

export function crc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? POLYNOMIAL : 0);
  }
  return ~crc >>> 0;
}
