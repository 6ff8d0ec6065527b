import { Problem } from '@voelgoed/contract/common'
import { type Route, refusalsOf } from '@voelgoed/contract/route'
import { routes } from '@voelgoed/contract/routes'
import { compileValidation, type Validate } from '@voelgoed/kit/http/validation'

export interface SeenAnswer {
  readonly route: Route
  readonly status: number
}

const validations = new Map<object, Validate>()
const isProblem = compileValidation(Problem)

/** The contract against what the server really answers: every answer of every test goes through here. */
export function checkAnswer(
  method: string,
  url: string,
  answer: { status: number; contentType: string; body: string },
): SeenAnswer | null {
  const route = findRoute(method, url)
  if (!route) return null
  const say = (what: string) =>
    new Error(`${method} ${url} answered ${answer.status}, ${what}: ${answer.body.slice(0, 600)}`)
  const schema = route.answers[answer.status]
  if (answer.contentType.startsWith('application/problem+json')) {
    const problem = JSON.parse(answer.body) as { code: never; status: number }
    const faults = isProblem(problem)
    if (faults.length > 0) throw say(`a problem that is none: ${JSON.stringify(faults)}`)
    if (problem.status !== answer.status) throw say('a problem with another status')
    if (!refusalsOf(route).includes(problem.code)) throw say('a problem that the contract does not list')
  } else if (schema === undefined) {
    throw say('which the contract does not know')
  } else if (schema !== null && answer.contentType !== 'application/octet-stream') {
    if (!validations.has(schema)) validations.set(schema, compileValidation(schema))
    const faults = validations.get(schema)!(JSON.parse(answer.body))
    if (faults.length > 0) throw say(`not as its schema says: ${JSON.stringify(faults)}`)
  }
  return { route, status: answer.status }
}

function findRoute(method: string, url: string): Route | undefined {
  const path = url.split('?')[0]!
  return routes.find(
    route => route.method === method && new RegExp(`^${route.path.replace(/:\w+/g, '[^/]+')}$`).test(path),
  )
}
