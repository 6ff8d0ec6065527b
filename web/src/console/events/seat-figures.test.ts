import { describe, expect, it } from 'vitest'
import { createFormat } from '../../kit/words/format.ts'
import { keysEn } from '../settings/keys-en.ts'
import { seatFigures } from './seat-figures.ts'

const format = createFormat('en-GB')
const words = keysEn(format).seatUse
const none = { kept: 0, free: 0, taken: 0 }
const use = { seats: 1200, free: 30, alone: 6, alone_share: 0.005, wheelchair: none, companions: none }

describe('figures of the seats', () => {
  it('are left out where there are no such seats', () => {
    const standing = { ...use, seats: 0, free: 0, alone: 0, alone_share: 0 }
    expect(seatFigures(standing, words, format)).toEqual([])
    expect(seatFigures(use, words, format)).toEqual([
      ['Free seats', '30', 'of 1,200'],
      ['Free and alone', '6', '0.5 % of all seats'],
    ])
  })

  it('count accessible seats that are taken as well', () => {
    const taken = { wheelchair: { free: 0, taken: 2 }, companions: { kept: 0, free: 1, taken: 1 } }
    expect(seatFigures({ ...use, ...taken }, words, format).slice(2)).toEqual([
      ['Wheelchair places free', '0', '2 taken'],
      ['Companion seats kept', '0', '1 free for all · 1 taken'],
    ])
  })
})
