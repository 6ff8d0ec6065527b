import { AsyncLocalStorage } from 'node:async_hooks'
import type { OrganizationId } from '@voelgoed/core/ids'
import { describe, expect, it } from 'vitest'
import { TenantScope } from '../base/tenant.ts'
import { AskTogether } from './ask-together.ts'
import { NoConnection, type TenantDoor, type TenantTx } from './database.ts'

const OURS = TenantScope.of('10000000-0000-7000-8000-000000000000' as OrganizationId)
const THEIRS = TenantScope.of('20000000-0000-7000-8000-000000000000' as OrganizationId)

/** A door whose transactions end when the test says so; each finds what is true when it begins. */
function heldDoor() {
  const open: { keys: readonly string[]; scope: TenantScope; answer(): void; fail(error: Error): void }[] = []
  let truth = 'first'
  const database: TenantDoor = {
    tenant: (scope, work) => work({ scope, finish() {} } as unknown as TenantTx),
  }
  const questions = new AskTogether<string>(database, (tx, keys) => {
    const found = new Map(keys.filter(key => key !== 'unknown').map(key => [key, `${truth} ${key}`]))
    return new Promise((resolve, reject) => {
      const { scope } = tx as unknown as { scope: TenantScope }
      open.push({ keys, scope, answer: () => resolve(found), fail: reject })
    })
  })
  return {
    questions,
    open,
    change(to: string) {
      truth = to
    },
  }
}

const turn = () => new Promise(setImmediate)

describe('questions that are asked together', () => {
  it('gather while one is on its way, and none is answered with what was true before it was asked', async () => {
    const { questions, open, change } = heldDoor()
    const early = questions.ask(OURS, 'a')
    change('second')
    const late = [questions.ask(OURS, 'a'), questions.ask(OURS, 'b'), questions.ask(OURS, 'a')]
    expect(open.map(({ keys }) => keys)).toEqual([['a']])
    open[0]!.answer()
    expect(await early).toBe('first a')
    await turn()
    expect(open.map(({ keys }) => keys)).toEqual([['a'], ['a', 'b']])
    open[1]!.answer()
    expect(await Promise.all(late)).toEqual(['second a', 'second b', 'second a'])
  })

  it('run in the context of the first of each transaction, so that its trace shows the transaction', async () => {
    const asker = new AsyncLocalStorage<number>()
    const seen: (number | undefined)[] = []
    let answer = () => {}
    const database: TenantDoor = {
      tenant: (_scope, work) => {
        seen.push(asker.getStore())
        return work({ finish() {} } as unknown as TenantTx)
      },
    }
    const find = () =>
      new Promise<Map<string, string>>(resolve => {
        answer = () => resolve(new Map())
      })
    const questions = new AskTogether<string>(database, find)
    const ask = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) =>
        asker.run(from + index, () => questions.ask(OURS, String(from + index))),
      )
    const first = ask(0, 702)
    answer()
    await first[0]
    await turn()
    const second = ask(702, 600)
    for (let transaction = 0; transaction < 3; transaction += 1) {
      answer()
      await turn()
    }
    await Promise.all([...first, ...second])
    expect(seen).toEqual([0, 1, 501, 1001])
  })

  it('never mix organizations', async () => {
    const { questions, open } = heldDoor()
    const both = [questions.ask(OURS, 'a'), questions.ask(THEIRS, 'a')]
    expect(open.map(({ scope }) => scope)).toEqual([OURS, THEIRS])
    for (const { answer } of open) answer()
    await Promise.all(both)
  })

  it('fail together, and the next go on', async () => {
    const { questions, open } = heldDoor()
    const lost = questions.ask(OURS, 'a')
    const next = questions.ask(OURS, 'unknown')
    open[0]!.fail(new Error('no connection'))
    await expect(lost).rejects.toThrow('no connection')
    await turn()
    open[1]!.answer()
    expect(await next).toBeNull()
  })

  it('wait no longer than those who were first, when Postgres is away', async () => {
    const { questions, open } = heldDoor()
    const all = [questions.ask(OURS, 'a'), questions.ask(OURS, 'b'), questions.ask(OURS, 'c')]
    open[0]!.fail(new NoConnection('timeout'))
    for (const asked of all) await expect(asked).rejects.toThrow('timeout')
    expect(open.length).toBe(1)
  })

  it('are not more than five hundred at a time, nor more than can wait', async () => {
    const { questions, open } = heldDoor()
    const asked = Array.from({ length: 20_001 }, (_, index) => questions.ask(OURS, String(index)))
    await expect(questions.ask(OURS, 'one too many')).rejects.toThrow('too many')
    for (let done = 0; done < open.length; done += 1) {
      open[done]!.answer()
      await turn()
    }
    expect(new Set(await Promise.all(asked)).size).toBe(20_001)
    expect(Math.max(...open.map(({ keys }) => keys.length))).toBe(500)
  })
})
