import { expect, it } from 'vitest'
import { changedOnly, withChanges } from './form-changes.ts'

it('a form sends what was changed in it', () => {
  const before = {
    name: 'Hall',
    support_email: 'a@example.org' as string | null,
    origins: ['https://a.example'],
  }
  expect(changedOnly(before, { ...before, origins: [...before.origins] })).toEqual({})
  expect(changedOnly(before, { ...before, name: 'House', support_email: null })).toEqual({
    name: 'House',
    support_email: null,
  })
})

it('shows what a colleague has saved meanwhile under what was changed in it', () => {
  interface Rules {
    readonly seats?: number | null
    readonly minutes?: number
    readonly split?: number
  }
  const changes = { seats: null, split: undefined }
  expect(withChanges<Rules>({ seats: 4, minutes: 10, split: 2 }, changes)).toEqual({
    seats: null,
    minutes: 10,
  })
  expect(withChanges<Rules>({ seats: 6, minutes: 8 }, changes)).toEqual({ seats: null, minutes: 8 })
})
