/**
 * The address of a map that shows a place. A phone with Android opens the map that its owner has chosen, one
 * of Apple its own; all other browsers get a map that asks for no account. The page itself shows no map:
 * nothing of another site is loaded before it is asked for.
 */
export function mapLink(place: string, userAgent: string): string {
  const query = encodeURIComponent(place)
  if (/Android/.test(userAgent)) return `geo:0,0?q=${query}`
  if (/iPhone|iPad|Macintosh/.test(userAgent)) return `https://maps.apple.com/?q=${query}`
  return `https://www.openstreetmap.org/search?query=${query}`
}
