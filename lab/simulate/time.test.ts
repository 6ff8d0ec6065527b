import { processTime, type Time } from '@voelgoed/kit/base/time'
import { describe, expect, it } from 'vitest'
import { Process, Scheduler } from './scheduler.ts'

/** A simulated clock that is too fast. The suite asks of it what lanes and jobs ask, and of the real one. */
function simulated(): Time {
  const scheduler = new Scheduler(1)
  const time = scheduler.timeOf(new Process('a'), { origin: 5_000, rate: 1.03 })
  const pumped = <T>(result: T): T => {
    setImmediate(() => void scheduler.run(Number.POSITIVE_INFINITY))
    return result
  }
  return {
    now: time.now,
    soon: run => pumped(time.soon(run)),
    after: (ms, run) => pumped(time.after(ms, run)),
    every: (ms, run) => pumped(time.every(ms, run)),
  }
}

describe.each([
  ['of the process', () => processTime],
  ['of the simulation', simulated],
])('the time %s', (_, create) => {
  it('never goes back, and has moved on after a wait', async () => {
    const time = create()
    const seen = [time.now()]
    for (const ms of [0, 20, 5]) {
      await new Promise<void>(resolve => time.after(ms, resolve))
      seen.push(time.now())
    }
    expect(seen).toEqual([...seen].sort((one, other) => one - other))
    expect(seen.at(-1)).toBeGreaterThan(seen[0]!)
  })

  it('soon comes after this turn and its promises, in the order in which it was asked for', async () => {
    const time = create()
    const order: (string | number)[] = []
    await new Promise<void>(resolve => {
      for (const index of [1, 2, 3, 4, 5]) time.soon(() => order.push(index))
      time.soon(resolve)
      order.push('now')
      void Promise.resolve().then(() => order.push('promise'))
    })
    expect(order).toEqual(['now', 'promise', 1, 2, 3, 4, 5])
  })

  it('the shorter wait ends first, whichever began first', async () => {
    const time = create()
    const order: number[] = []
    await new Promise<void>(resolve => {
      const begin = (): void => {
        const begunAt = time.now()
        const callOff = [60, 5, 30].map(ms =>
          time.after(ms, () => {
            order.push(ms)
            if (ms === 60) resolve()
          }),
        )
        // A process that stood still between two of them has made the later one the longer one: once more.
        if (time.now() - begunAt < 20) return
        for (const end of callOff) end()
        begin()
      }
      begin()
    })
    expect(order).toEqual([5, 30, 60])
  })

  it('what is called off does not come, and calling off twice, or after it came, does no harm', async () => {
    const time = create()
    const order: string[] = []
    const callOff = time.after(5, () => order.push('called off'))
    callOff()
    callOff()
    const late = await new Promise<() => void>(resolve => {
      const end = time.after(20, () => {
        order.push('came')
        resolve(end)
      })
    })
    late()
    expect(order).toEqual(['came'])
  })

  it('comes again and again until it is ended, also from within', async () => {
    const time = create()
    let times = 0
    await new Promise<void>(resolve => {
      const end = time.every(5, () => {
        times += 1
        if (times < 3) return
        end()
        time.after(30, resolve)
      })
    })
    expect(times).toBe(3)
  })
})
