import { describe, expect, test } from 'vitest'
import { currencies, guessRegion } from './region.ts'

const unsaid = { time_zone: 'UTC', currency: 'ZAR', locale: 'en' }

describe('where an organization is', () => {
  test.each([
    ['Africa/Johannesburg', ['en-US', 'en'], 'ZAR', 'en-ZA'],
    ['Africa/Johannesburg', ['af', 'en-US'], 'ZAR', 'af-ZA'],
    ['Europe/Berlin', ['de-DE', 'en'], 'EUR', 'en-GB'],
    ['Africa/Windhoek', ['en-ZA'], 'NAD', 'en-ZA'],
    // The organization's own stays where the zone says nothing of money.
    ['Antarctica/Troll', ['en-GB'], 'ZAR', 'en-GB'],
  ])('%s with %j is guessed', (timeZone, languages, currency, locale) => {
    expect(guessRegion(unsaid, { timeZone, languages })).toEqual({ time_zone: timeZone, currency, locale })
  })

  test('what was said before counts more than the browser', () => {
    const known = { time_zone: 'Europe/London', currency: 'GBP', locale: 'en-GB' }
    expect(guessRegion(known, { timeZone: 'Africa/Lagos', languages: ['af'] })).toEqual(known)
  })

  test('prices can be in each currency of the list', () => {
    expect(currencies()).toContain('ZAR')
    expect(currencies()).not.toContain('XAU')
  })
})
