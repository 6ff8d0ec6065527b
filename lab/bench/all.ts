import type { Verb, VerbInput, VerbOutput } from './verb.ts'

/** Every verb as it is by default, one after another on one Postgres. */
export function all(verbs: Readonly<Record<string, Verb>>): Verb {
  return {
    summary: `${Object.keys(verbs).join(', ')}: one after another on one Postgres, each as it is by default`,
    options: {},
    async run(input) {
      if (input.quick) await input.stage.startAll()
      const outputs: Record<string, VerbOutput> = {}
      for (const [name, verb] of Object.entries(verbs)) {
        const startedAt = performance.now()
        input.say(`\n== ${name}`)
        outputs[name] = await verb.run({ ...input, ...defaultsOf(verb, input.quick) }).catch(failed)
        input.say(`${name} took ${((performance.now() - startedAt) / 1000).toFixed(0)} s`)
      }
      const each = Object.entries(outputs)
      return {
        table: each.map(([name, { table }]) => `${name}\n\n${table}`).join('\n\n\n'),
        figures: Object.fromEntries(each.map(([name, { figures }]) => [name, figures])),
        problems: each.flatMap(([name, { problems }]) => problems.map(problem => `${name}: ${problem}`)),
        quotes: Object.assign({}, ...each.map(([, { quotes }]) => quotes)),
        ...(outputs.holds?.chart && { chart: outputs.holds.chart }),
      }
    },
  }
}

/** The others are measured all the same. */
function failed(error: Error): VerbOutput {
  return { table: 'failed', figures: null, problems: [error.stack ?? error.message], quotes: {} }
}

function defaultsOf({ options }: Verb, quick: boolean): Pick<VerbInput, 'list' | 'number'> {
  const list = (name: string) => {
    const option = options[name]!
    return (quick ? option.quick : option.default).split(',').map(Number)
  }
  return { list, number: name => list(name)[0]! }
}
