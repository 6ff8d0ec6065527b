import { onLevel } from '../document/levels.ts'
import type { Bounds, MapModel } from '../document/model.ts'
import type { SeatStates } from '../document/seat-states.ts'
import type { Size } from '../paint/camera.ts'
import { Picture } from '../paint/picture.ts'
import { type MapWords, Scene } from '../paint/scene.ts'
import type { MapTheme } from '../paint/theme.ts'
import { KeyWalk } from './key-walk.ts'
import { Minimap } from './minimap.ts'
import type { Stop } from './neighbour.ts'
import { Viewpoint } from './viewpoint.ts'

interface FloorOptions {
  readonly theme: MapTheme
  readonly words: MapWords
  readonly reducedMotion: boolean
  readonly size: Size
  /** These lie over the map, in CSS pixels of it. */
  readonly covers: readonly Bounds[]
  /** The next frame will show something else. */
  changed(): void
  onStop(stop: Stop | null): void
}

/** Draws a part of the hall at a time, with the view of it: all of the hall, or a single floor. */
export class Floor {
  readonly level: number
  readonly model: MapModel
  readonly scene: Scene
  readonly picture: Picture
  readonly viewpoint: Viewpoint
  readonly keys: KeyWalk
  readonly minimap: Minimap

  /** `before`: the floor that was drawn until now. */
  constructor(hall: MapModel, level: number, states: SeatStates, options: FloorOptions, before?: Floor) {
    const { theme, words, reducedMotion, size, covers, changed } = options
    this.level = level
    this.model = onLevel(hall, level)
    this.scene = new Scene(this.model, theme, words, states, before?.scene)
    this.picture = new Picture(this.scene)
    // Between the stage and a balcony there is nothing to come nearer to.
    const towards = hall.levels.length > 0 ? this.scene.audience : null
    this.viewpoint = new Viewpoint(this.model, size, reducedMotion, changed, towards, covers)
    this.keys = new KeyWalk({ model: this.model, grid: this.scene.grid }, this.viewpoint, stop => {
      options.onStop(stop)
      changed()
    })
    this.minimap = new Minimap(this.scene, size.width, place =>
      this.viewpoint.jumpTo({ ...this.viewpoint.camera, ...place }),
    )
    this.minimap.canvas.setAttribute('aria-hidden', 'true')
  }
}
