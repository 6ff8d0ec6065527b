import type { MetricMakers } from '@voelgoed/kit/metrics/metric-makers'
import type { ImageOutcome } from './image-maker.ts'

const OUTCOMES: readonly ImageOutcome[] = ['made', 'invalid', 'busy', 'failed']
const SOURCES = ['memory', 'postgres', 'none'] as const

/** Images: those that staff upload, and those that pages show. */
export function createImageMetrics({ counter, histogram }: MetricMakers) {
  const seconds = histogram(
    'voelgoed_image_seconds',
    'Uploaded images by outcome: made, invalid (no image, damaged or too large), busy (too many waited, or it took too long), failed (the package sharp does not load, or a fault of ours); with the time until their files were made',
    ['outcome'],
    [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
  )
  for (const outcome of OUTCOMES) seconds.zero({ outcome })
  const reads = counter(
    'voelgoed_image_reads_total',
    'Files of images that were asked for, by where they came from: memory, postgres, none (there is no such file)',
    ['from'],
  )
  for (const from of SOURCES) reads.inc({ from }, 0)
  return {
    made: (outcome: ImageOutcome, ms: number) => seconds.observe({ outcome }, ms / 1000),
    read: (from: (typeof SOURCES)[number]) => reads.inc({ from }),
  }
}
