import { describe, expect, it } from 'vitest'
import { accentOf, contrast, contrastOf } from './accent.ts'
import { cover } from './cover.ts'

const rgb = (hex: string) =>
  [1, 3, 5].map(at => Number.parseInt(hex.slice(at, at + 2), 16)) as unknown as Parameters<typeof contrast>[0]

describe('the accent of an organization', () => {
  // Every 51st step of red, green and blue: 216 colours, among them black, white and every pure one.
  const steps = [0, 51, 102, 153, 204, 255].map(part => part.toString(16).padStart(2, '0'))
  const colours = steps.flatMap(r => steps.flatMap(g => steps.map(b => `#${r}${g}${b}`)))

  it.each([
    ['light', '#ffffff', '#fdfbf8'],
    ['dark', '#1d1720', '#141016'],
  ] as const)('can be read, whatever the colour is: %s', (scheme, surface, paper) => {
    for (const colour of colours) {
      const { accent, strong, on } = accentOf(colour)![scheme]
      expect(contrast(rgb(on), rgb(accent)), `text on ${colour}`).toBeGreaterThanOrEqual(4.5)
      for (const ground of [surface, paper]) {
        expect(contrast(rgb(strong), rgb(ground)), `${colour} as text`).toBeGreaterThanOrEqual(4.5)
        expect(contrast(rgb(accent), rgb(ground)), `a button of ${colour}`).toBeGreaterThanOrEqual(2.5)
      }
    }
  })

  it('is compared with colours in their short form', () => {
    expect(contrastOf('#fff', '#cf3f27')).toBe(contrastOf('#ffffff', '#cf3f27'))
    expect(contrastOf('#fff', '#000')).toBe(21)
  })

  it('is refused when it is no colour', () => {
    for (const text of ['red', '#fff', '#12345g', '', 'url(x)']) expect(accentOf(text)).toBeNull()
  })
})

describe('covers', () => {
  it('are the same for the same name, and not for another', () => {
    expect(cover('Somerstorm')).toBe(cover(' somerstorm'))
    expect(new Set(['Somerstorm', 'Winter Tour', 'Karoo Nights', 'Stof'].map(cover)).size).toBe(4)
  })

  it('hold nothing of the name, no script and no number that is none', () => {
    for (const name of [
      '</svg><script>alert(1)</script>',
      '"><image href=x onerror=y>',
      '',
      '🎭'.repeat(500),
    ]) {
      const svg = cover(name)
      expect(svg).not.toMatch(/script|href|on\w+=|NaN|undefined|Infinity/)
      expect(svg.match(/<svg/g)).toHaveLength(1)
    }
  })

  it('stay small', () => {
    const sizes = Array.from({ length: 300 }, (_, index) => cover(`Event ${index}`).length)
    expect(Math.max(...sizes)).toBeLessThan(24_000)
  })
})
