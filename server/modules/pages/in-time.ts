import type { Time } from '@voelgoed/kit/base/time'

/** A reader who would wait longer gets the page without it: the page works all the same. */
export const PATIENCE_MS = 300

/** Returns what was asked for, or what stands for it when the answer is late or fails. */
export async function inTime<T>(
  { time, patienceMs }: { readonly time: Pick<Time, 'after'>; readonly patienceMs: number },
  asked: Promise<T>,
  otherwise: T,
): Promise<T> {
  let callOff = () => {}
  const late = new Promise<T>(resolve => {
    callOff = time.after(patienceMs, () => resolve(otherwise))
  })
  const answer = await Promise.race([asked.catch(() => otherwise), late])
  callOff()
  return answer
}
