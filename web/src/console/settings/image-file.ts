/** The server takes these (contract/images.ts). The page says so before ten megabytes are on their way. */
export const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/avif'] as const
const IMAGE_BYTES = 10 * 1024 * 1024

export function faultOfFile({ type, size }: Pick<File, 'type' | 'size'>): 'notImage' | 'tooLarge' | null {
  if (!(IMAGE_TYPES as readonly string[]).includes(type)) return 'notImage'
  return size > IMAGE_BYTES ? 'tooLarge' : null
}
