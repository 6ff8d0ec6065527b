import { describe, expect, it } from 'vitest'
import { FairLine, FairTurns } from './fair-line.ts'

function take(line: FairLine<string>): string[] {
  const taken: string[] = []
  for (let next = line.shift(); next !== undefined; next = line.shift()) taken.push(next)
  return taken
}

describe('a line of several organizations', () => {
  it('takes one of each in turn, and of each in its order', () => {
    const line = new FairLine<string>(8)
    for (const item of ['w1', 'w2', 'w3', 'v1', 'u1', 'u2']) line.push(item[0]!, item)
    expect(line.size).toBe(6)
    expect(take(line)).toEqual(['w1', 'v1', 'u1', 'w2', 'u2', 'w3'])
    expect(line.size).toBe(0)
  })

  it('has half of its places for one, and a place for the first of a third when two have filled it', () => {
    const line = new FairLine<string>(4)
    const filled = (owner: string) => {
      let count = 0
      for (; line.hasRoomFor(owner); count += 1) line.push(owner, owner)
      return count
    }
    expect([filled('w'), filled('v'), filled('u'), filled('t')]).toEqual([2, 2, 1, 1])
    expect(line.size).toBe(6)
  })

  it('is bounded, however many organizations there are', () => {
    const line = new FairLine<number>(4)
    for (let owner = 0; owner < 20; owner += 1) if (line.hasRoomFor(`${owner}`)) line.push(`${owner}`, owner)
    expect(line.size).toBe(8)
  })
})

describe('work in turns', () => {
  it('is done one piece at a time: of one that queued many, one goes before each of another', async () => {
    const turns = new FairTurns()
    const done: string[] = []
    let running = 0
    const run = (name: string) =>
      turns.run(name[0]!, async () => {
        running += 1
        await Promise.resolve()
        expect(running).toBe(1)
        running -= 1
        done.push(name)
        if (name === 'w2') throw new Error('planted')
        return name
      })
    const throwing = () => {
      throw new Error('before there is a promise')
    }
    await expect(turns.run('w', throwing)).rejects.toThrow('before there is a promise')
    const all = ['w1', 'w2', 'w3', 'w4', 'v1'].map(name => run(name).catch(() => 'failed'))
    expect(await Promise.all(all)).toEqual(['w1', 'failed', 'w3', 'w4', 'v1'])
    expect(done).toEqual(['w1', 'w2', 'v1', 'w3', 'w4'])
    expect(await run('w5')).toBe('w5')
  })
})
