import { describe, expect, it } from 'vitest'
import { readCommandLine, Usage } from './command-line.ts'
import type { Verb } from './verb.ts'

const verb: Verb = {
  summary: 'a verb',
  options: { readers: { default: '100,200', quick: '3', help: 'at once' } },
  run: () => Promise.reject(new Error('no test runs it')),
}
const read = (line: string) => readCommandLine(line.split(' ').filter(Boolean), { feed: verb })

describe('the command line of the bench', () => {
  it('takes what is given, else what is small, else what is usual', () => {
    expect(read('feed').input.list('readers')).toEqual([100, 200])
    expect(read('feed --quick').input.list('readers')).toEqual([3])
    expect(read('feed --quick --readers 7,8').input.list('readers')).toEqual([7, 8])
    expect(read('feed').server).toBeUndefined()
    expect(read('feed --server ../earlier').server).toBe('../earlier')
    expect(read('feed --seed 5 --json a.json')).toMatchObject({
      json: 'a.json',
      input: { seed: 5, quick: false },
    })
  })

  it.each([
    ['', 'feed: a verb'],
    ['--help', 'feed: a verb'],
    ['feed --help', '--readers 100,200'],
    ['everything', 'there is no verb "everything"'],
    ['constructor', 'there is no verb "constructor"'],
    ['feed --fast', "Unknown option '--fast'"],
    ['feed --readers many', '--readers must be a whole number, not "many"'],
    ['feed --readers 1,,2', '--readers must be a whole number, not ""'],
    ['feed --seed -1', '--seed'],
    ['feed --postgres fsync', '--postgres takes name=value, not "fsync"'],
  ])('%s: says how it is used', (line, expected) => {
    expect(() => read(line)).toThrow(Usage)
    expect(() => read(line)).toThrow(expected)
  })
})
