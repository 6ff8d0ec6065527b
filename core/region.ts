/**
 * An IANA name, like Africa/Johannesburg. Offsets like +02:00 are none: they know no summer time.
 * `Intl` also knows aliases and takes any spelling of capitals, as browsers and Postgres do.
 */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  return isKnownToIntl(() => new Intl.DateTimeFormat('en', { timeZone: name }))
}

export function isLocale(tag: string): boolean {
  return isKnownToIntl(() => Intl.getCanonicalLocales(tag))
}

function isKnownToIntl(ask: () => unknown): boolean {
  try {
    ask()
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}
