/**
 * SHA-1, for ids that follow from names (RFC 9562 §5.5): no secret hangs on it. Of our own, because the page
 * needs it at once, where the browser's own answers later, and it is a third of what libraries bring.
 */
export function sha1(message: Uint8Array): Uint8Array {
  const padded = new DataView(new ArrayBuffer(((message.length + 72) >> 6) << 6))
  const bytes = new Uint8Array(padded.buffer)
  bytes.set(message)
  bytes[message.length] = 0x80
  padded.setUint32(bytes.length - 8, Math.floor(message.length / 2 ** 29))
  padded.setUint32(bytes.length - 4, message.length << 3)
  const state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0]
  for (let at = 0; at < bytes.length; at += 64) {
    for (let i = 0; i < 16; i += 1) WORDS[i] = padded.getInt32(at + 4 * i)
    for (let i = 16; i < 80; i += 1) {
      WORDS[i] = turn(WORDS[i - 3]! ^ WORDS[i - 8]! ^ WORDS[i - 14]! ^ WORDS[i - 16]!, 1)
    }
    let [a, b, c, d, e] = state as [number, number, number, number, number]
    for (let i = 0; i < 80; i += 1) {
      const mixed =
        i < 20
          ? ((b & c) | (~b & d)) + 0x5a827999
          : i < 40
            ? (b ^ c ^ d) + 0x6ed9eba1
            : i < 60
              ? ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc
              : (b ^ c ^ d) + 0xca62c1d6
      const next = (turn(a, 5) + mixed + e + WORDS[i]!) | 0
      e = d
      d = c
      c = turn(b, 30)
      b = a
      a = next
    }
    for (const [i, value] of [a, b, c, d, e].entries()) state[i] = (state[i]! + value) | 0
  }
  const hash = new DataView(new ArrayBuffer(20))
  for (const [i, value] of state.entries()) hash.setInt32(4 * i, value)
  return new Uint8Array(hash.buffer)
}

/** One buffer serves all blocks, because thousands of ids are made at once. */
const WORDS = new Int32Array(80)

function turn(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits))
}
