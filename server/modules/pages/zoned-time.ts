/** A moment as people at the venue read it, with the offset of their clocks: 2027-03-01T19:30:00+02:00. */
export function zonedTime(at: Date, timeZone: string): string {
  const parts = Object.fromEntries(
    new Intl.DateTimeFormat('en-GB', { timeZone, ...PARTS })
      .formatToParts(at)
      .map(part => [part.type, part.value]),
  ) as Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second' | 'timeZoneName', string>
  const { year, month, day, hour, minute, second, timeZoneName } = parts
  const offset = timeZoneName === 'GMT' ? '+00:00' : timeZoneName.slice('GMT'.length)
  return `${year}-${month}-${day}T${hour}:${minute}:${second}${offset.slice(0, '+00:00'.length)}`
}

const PARTS = {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
  timeZoneName: 'longOffset',
} as const
