import { expect, it } from 'vitest'
import { html, jsonLd } from './html.ts'
import { zonedTime } from './zoned-time.ts'

it('every value is escaped, and pieces of a document are not escaped again', () => {
  const inner = html`<b>${'<i>'}</b>`
  expect(html`<p title="${`"'&<>`}">${inner}${[inner, inner]}</p>`.text).toBe(
    '<p title="&quot;&#39;&amp;&lt;&gt;"><b>&lt;i&gt;</b><b>&lt;i&gt;</b><b>&lt;i&gt;</b></p>',
  )
  expect(html`${'a\u0000b\u001bc\ud800d\nf'}`.text).toBe('a b c d\nf')
})

it('data can not end its element, and reads as it was', () => {
  const data = { name: '</script><!--<script>&\u2028' }
  const { text } = jsonLd(data)
  expect(text.match(/[<>]/g)).toHaveLength(4)
  expect(JSON.parse(text.slice(text.indexOf('>') + 1, text.lastIndexOf('<')))).toEqual(data)
})

it('a moment has the offset of the clocks at the venue', () => {
  const at = new Date('2027-07-01T18:30:05Z')
  expect(zonedTime(at, 'Africa/Johannesburg')).toBe('2027-07-01T20:30:05+02:00')
  expect(zonedTime(at, 'Europe/London')).toBe('2027-07-01T19:30:05+01:00')
  expect(zonedTime(at, 'UTC')).toBe('2027-07-01T18:30:05+00:00')
  expect(zonedTime(at, 'America/St_Johns')).toBe('2027-07-01T16:00:05-02:30')
  expect(zonedTime(new Date('2027-01-01T23:30:00Z'), 'Asia/Kolkata')).toBe('2027-01-02T05:00:00+05:30')
})
