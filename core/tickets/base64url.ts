const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** RFC 4648 §5, without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let count = 0
  for (const byte of bytes) {
    bits = ((bits << 8) | byte) & 0xffff
    count += 8
    for (; count >= 6; count -= 6) text += DIGITS[(bits >> (count - 6)) & 63]
  }
  return count === 0 ? text : text + DIGITS[(bits << (6 - count)) & 63]
}

/** Null: it is not the one spelling that `toBase64Url` gives to its bytes. */
export function fromBase64Url(text: string): Uint8Array | null {
  if (text.length % 4 === 1) return null
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4))
  let at = 0
  let bits = 0
  let count = 0
  for (const character of text) {
    const digit = DIGITS.indexOf(character)
    if (digit === -1) return null
    bits = ((bits << 6) | digit) & 0xffff
    count += 6
    if (count < 8) continue
    count -= 8
    bytes[at] = (bits >> count) & 0xff
    at += 1
  }
  const isPadded = (bits & ((1 << count) - 1)) === 0
  return isPadded ? bytes : null
}
