import { effectsOf, type Grants } from '../access.ts';
import { counted } from '../counted.ts';
import { Code } from '../parts/text.tsx';
import { DecisionCell } from './access-tree.tsx';
import { Destinations } from './destinations.tsx';

const SHOWN = 60;

/** Shows the effects of an edit before it is saved. Those that give more come first. */
export function Effects({ before, after }: { readonly before: Grants; readonly after: Grants }) {
  const effects = effectsOf(before, after).toSorted(
    (one, other) => Number(other.givesMore) - Number(one.givesMore),
  );
  const wider = effects.filter(({ givesMore }) => givesMore).length;
  if (effects.length === 0)
    return (
      <p class="effects-none" role="status">
        This edit changes no access to tokens.
      </p>
    );
  return (
    <div class="effects">
      <p role="status">
        <strong>This edit changes access in {counted(effects.length, 'place')}</strong>
        {wider === 0 ? ', and gives more in none of them.' : `, and gives more in ${String(wider)} of them.`}
      </p>
      <div class="scroll" tabIndex={0} role="region" aria-label="Effect of this edit">
        <table>
          <thead>
            <tr>
              <th scope="col">Container</th>
              <th scope="col">Permission</th>
              <th scope="col">Now</th>
              <th scope="col">After</th>
            </tr>
          </thead>
          <tbody>
            {effects.slice(0, SHOWN).map((effect) => (
              <tr
                key={`${effect.container ?? ''}${effect.permission}`}
                class={effect.givesMore ? 'is-wider' : undefined}
              >
                <th scope="row">
                  {effect.container === undefined ? 'without a token' : <Code>{effect.container}</Code>}
                </th>
                <td>{effect.permission}</td>
                <td>
                  <DecisionCell decision={effect.before} permission={effect.permission} />
                </td>
                <td>
                  <DecisionCell decision={effect.after} permission={effect.permission} />
                  {effect.givesMore && <span class="wider"> gives more</span>}
                  <Destinations through={effect.after?.through} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {effects.length > SHOWN && <p class="muted">And {counted(effects.length - SHOWN, 'more place')}.</p>}
    </div>
  );
}
