import { describe, expect, it } from 'vitest'
import { readCommandLine, Usage } from './command-line.ts'
import type { Scenario } from './scenario.ts'

const feed: Scenario = {
  summary: 'a scenario',
  options: {
    readers: { default: '100,200', quick: '3', help: 'at once' },
    on: { default: 'one', quick: 'one', help: 'of them', words: /^(one|two)$/ },
  },
  run: () => Promise.reject(new Error('no test runs it')),
}
const verbs = { scenarios: { feed }, presets: { feeds: ['feed', { readers: '9', on: 'two' }] as const } }
const read = (line: string) => readCommandLine(line.split(' ').filter(Boolean), verbs)

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

  it('takes what a preset says instead of what is usual', () => {
    const { input } = read('feeds')
    expect([input.list('readers'), input.words('on'), input.verb]).toEqual([[9], ['two'], 'feeds'])
    expect(read('feeds --readers 8 --on one,two').input.words('on')).toEqual(['one', 'two'])
    expect(read('feeds --quick').input.list('readers')).toEqual([3])
  })

  it.each([
    ['', 'feed: a scenario'],
    ['--help', 'feed: a scenario'],
    ['feed --help', '--readers 100,200'],
    ['everything', 'there is no verb "everything"'],
    ['constructor', 'there is no verb "constructor"'],
    ['feed --fast', "Unknown option '--fast'"],
    ['feed --readers many', '--readers must be a whole number, not "many"'],
    ['feed --readers 1,,2', '--readers must be a whole number, not ""'],
    ['feed --seed -1', '--seed'],
    ['feed --on three', '--on can\'t be "three"'],
    ['--help', 'feeds: feed --readers 9'],
    ['feed --postgres fsync', '--postgres takes name=value, not "fsync"'],
  ])('%s: says how it is used', (line, expected) => {
    expect(() => read(line)).toThrow(Usage)
    expect(() => read(line)).toThrow(expected)
  })
})
