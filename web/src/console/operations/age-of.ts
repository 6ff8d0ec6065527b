/** Says how long ago, in the largest unit that says enough: 534 s are 8 min. */
export function ageOf(ms: number): readonly [value: number, unit: 's' | 'min' | 'h' | 'days'] {
  const seconds = Math.floor(ms / 1000)
  if (seconds < 60) return [seconds, 's']
  if (seconds < 3600) return [Math.floor(seconds / 60), 'min']
  if (seconds < 48 * 3600) return [Math.floor(seconds / 3600), 'h']
  return [Math.floor(seconds / 86_400), 'days']
}
