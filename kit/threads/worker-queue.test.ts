import { pino } from 'pino'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { WorkerQueue } from './worker-queue.ts'

const queues: WorkerQueue<string, string>[] = []
afterEach(async () => {
  vi.useRealTimers()
  for (const queue of queues.splice(0)) await queue.close()
})

/** A queue whose thread does this with each message. */
function queueOf(onMessage: string, limits: { maxJobMs?: number; maxWaiting?: number } = {}) {
  const code = `import { parentPort } from 'node:worker_threads'
    parentPort.on('message', job => { ${onMessage} })`
  const queue = new WorkerQueue<string, string>(pino({ level: 'silent' }), {
    task: 'test',
    program: new URL(`data:text/javascript,${encodeURIComponent(code)}`),
    failed: 'the thread failed',
    maxHeapMb: 16,
    maxJobMs: 60_000,
    maxWaiting: 2,
    ...limits,
  })
  queues.push(queue)
  return queue
}
const ANSWER = 'parentPort.postMessage({ ok: true, value: job })'

describe('a queue of jobs for a thread', () => {
  it('gives each job its answer, and refuses more than may wait', async () => {
    const queue = queueOf(ANSWER)
    const all = ['a', 'b', 'c', 'd'].map(job => queue.run(job, job === 'c' ? 'another' : 'one'))
    expect(await Promise.all(all)).toEqual([
      { ok: true, value: 'a' },
      { ok: true, value: 'b' },
      { ok: true, value: 'c' },
      { ok: false, problem: { kind: 'busy', retryAfterSeconds: 5 } },
    ])
  })

  it('gives the next turn to another organization, which one that queues its limit can not keep out', async () => {
    const queue = queueOf(ANSWER, { maxWaiting: 8 })
    const done: string[] = []
    const run = (job: string, owner: string) =>
      queue.run(job, owner).then(({ ok }) => done.push(ok ? job : `${job} refused`))
    const jobs = ['w1', 'w2', 'w3', 'w4', 'w5', 'w6'].map(job => run(job, 'W'))
    jobs.push(run('v1', 'V'))
    await Promise.all(jobs)
    // One runs and half of the places are taken: the sixth is sent away, and no other organization's.
    expect(done).toEqual(['w6 refused', 'w1', 'w2', 'v1', 'w3', 'w4', 'w5'])
  })

  it('ends a job that takes too long, which may be tried again, and goes on with the next', async () => {
    const queue = queueOf('', { maxJobMs: 20 })
    const both = [queue.run('endless', 'one'), queue.run('next', 'one')]
    const busy = { ok: false, problem: { kind: 'busy', retryAfterSeconds: 5 } }
    expect(await Promise.all(both)).toEqual([busy, busy])
  })

  it('does not give a job to a thread that is being ended because it had nothing to do', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const queue = queueOf(ANSWER)
    expect(await queue.run('a', 'one')).toEqual({ ok: true, value: 'a' })
    vi.advanceTimersByTime(60_000)
    expect(await queue.run('b', 'one')).toEqual({ ok: true, value: 'b' })
  })

  it('does not give a job to a thread that is being ended because of the job before it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const queue = queueOf(`${ANSWER}; if (job !== 'warm') Atomics.notify(job, 0, Atomics.store(job, 0, 1))`)
    await queue.run('warm', 'one')
    const signal = new Int32Array(new SharedArrayBuffer(4))
    const late = queue.run(signal as unknown as string, 'one')
    const next = queue.run('warm', 'one')
    // The answer is on its way when the time is over.
    Atomics.wait(signal, 0, 0)
    vi.advanceTimersByTime(60_000)
    await late
    expect(await next).toEqual({ ok: true, value: 'warm' })
  })

  it('says that a job is too large when it fills the memory, and that a fault is ours', async () => {
    const full = queueOf('const all = []; for (;;) all.push(new Array(10_000).fill(job))')
    const tooLarge = { kind: 'payload_too_large', limitBytes: 16 * 1024 * 1024 }
    expect(await full.run('x', 'one')).toEqual({ ok: false, problem: tooLarge })
    const wrong = queueOf("throw new Error('a fault')")
    expect(await wrong.run('x', 'one')).toEqual({ ok: false, problem: { kind: 'internal_error' } })
  })
})
