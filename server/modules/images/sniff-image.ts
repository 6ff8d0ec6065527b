type ImageFormat = 'png' | 'jpeg' | 'webp' | 'avif'

/**
 * Reads the format from the first bytes. A file of another kind goes no further: not to a reader of SVG,
 * which would follow links, nor to that of a format that few have searched for holes.
 */
export function sniffImage(bytes: Uint8Array): ImageFormat | null {
  const text = (from: number, to: number) => Buffer.from(bytes.subarray(from, to)).toString('latin1')
  if (text(0, 8) === '\x89PNG\r\n\x1a\n') return 'png'
  if (text(0, 3) === '\xff\xd8\xff') return 'jpeg'
  if (text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP') return 'webp'
  // Some encoders name the format only among those that it is compatible with.
  const isAvif = text(4, 8) === 'ftyp' && /^(....){0,8}avi[fs]/s.test(text(8, 44))
  return isAvif ? 'avif' : null
}
