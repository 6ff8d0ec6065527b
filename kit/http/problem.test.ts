import { problemKinds } from '@voelgoed/contract/problems'
import type { Refusal } from '@voelgoed/core/refusal'
import { describe, expect, it } from 'vitest'
import { toProblem } from './problem.ts'

describe('a problem', () => {
  it.each(Object.keys(problemKinds) as Refusal['kind'][])('%s has the same members as every other', kind => {
    const { status, title, detail, retryable } = problemKinds[kind]
    const expected = {
      type: `/docs#problem-${kind}`,
      title,
      status,
      code: kind,
      detail,
      retryable,
      request_id: 'r-1',
    }
    // Twice: what is kept of the first time must not show.
    for (const _ of [1, 2]) {
      expect(toProblem({ kind } as Refusal, 'r-1')).toMatchObject({ status, text: JSON.stringify(expected) })
    }
  })

  it('then has what its kind adds, with the names of the API', () => {
    const refusal = { kind: 'event_not_available', status: 'published', saleStart: 0 } as unknown as Refusal
    expect(JSON.parse(toProblem(refusal, 'r-1').text)).toMatchObject({
      status: problemKinds.event_not_available.status,
      current_status: 'published',
      sale_start: '1970-01-01T00:00:00.000Z',
    })
  })

  it('may have a detail of its own, which no other problem of its kind gets', () => {
    const own = JSON.parse(toProblem({ kind: 'unauthorized', detail: 'Say "please".' }, 'r-1').text)
    expect(own.detail).toBe('Say "please".')
    const usual = JSON.parse(toProblem({ kind: 'unauthorized' }, 'r-2').text)
    expect(usual).toMatchObject({ detail: problemKinds.unauthorized.detail, request_id: 'r-2' })
  })

  it('says when to come again in a header, not in the body', () => {
    const { headers, text } = toProblem({ kind: 'busy', retryAfterSeconds: 0 }, 'r-1')
    expect(headers).toEqual({ 'retry-after': '1' })
    expect(text).not.toContain('retry_after')
  })
})
