import { expect, it } from 'vitest'
import { mapLink } from './map-link.ts'

const PLACE = 'Breytenbach Theatre, 137 Gerard Moerdyk St & Co'

it.each([
  ['Mozilla/5.0 (Linux; Android 15; Pixel 9)', 'geo:0,0?q='],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X)', 'https://maps.apple.com/?q='],
  ['Mozilla/5.0 (X11; Linux x86_64)', 'https://www.openstreetmap.org/search?query='],
])('%s opens %s', (userAgent, start) => {
  const link = mapLink(PLACE, userAgent)
  expect(link).toBe(`${start}Breytenbach%20Theatre%2C%20137%20Gerard%20Moerdyk%20St%20%26%20Co`)
})
