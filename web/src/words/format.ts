/** Numbers, dates and times as people write them where they are. */
export interface Format {
  readonly locale: string
  number(value: number): string
  percent(share: number): string
  /** Saturday 14 March 2027, 19:30 */
  dateTime(iso: string): string
  /** Sat, 14 Mar 2027, 19:30 */
  shortDateTime(iso: string): string
  date(iso: string): string
  list(items: readonly string[]): string
}

export function createFormat(locale: string): Format {
  const number = new Intl.NumberFormat(locale)
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 })
  const dateTime = new Intl.DateTimeFormat(locale, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  const shortDateTime = new Intl.DateTimeFormat(locale, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  const date = new Intl.DateTimeFormat(locale, {
    weekday: 'short',
    day: 'numeric',
    month: 'long',
    timeZone: 'UTC',
  })
  const list = new Intl.ListFormat(locale, { type: 'conjunction' })
  return {
    locale,
    number: value => number.format(value),
    percent: share => percent.format(share),
    dateTime: iso => dateTime.format(new Date(iso)),
    shortDateTime: iso => shortDateTime.format(new Date(iso)),
    date: iso => date.format(new Date(iso)),
    list: items => list.format(items),
  }
}

/** 9:05, or 1:02:05 for a hold of hours. */
export function clockFace(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, '0')
  const hours = Math.floor(seconds / 3600)
  const minutes = Math.floor(seconds / 60) % 60
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`
}
