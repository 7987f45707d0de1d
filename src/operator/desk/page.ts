import type { Html } from '../../base/pages/html.js';
import type { Session } from './identity/sessions.js';

/** The surroundings of each page of the console. Undefined fields: nobody is signed in. `proof`: value of the anti-forgery field. */
export interface Frame {
  readonly proof: string;
  readonly session?: Session | undefined;
  readonly path?: string;
  readonly notice?: string | undefined;
  readonly warnings?: readonly Html[];
  readonly waiting?: number;
}

export interface View {
  readonly query: Readonly<Record<string, string>>;
  readonly isReloading: boolean;
}

/** The fields of a posted form. A text that the person left empty counts as absent. */
export interface FormFields {
  text(name: string): string | undefined;
  all(name: string): readonly string[];
  number(name: string): number | undefined;
}

/** The form of a POST in the console. Its fields are named as those of the act's input; a box that is ticked says `yes`. */
export interface ActForm<Answered> {
  /** Fields of the input that the form has otherwise. `holder`: see `Passkeys`. */
  readonly input?: (form: FormFields, holder: string) => object;
  /** A page with what the answer alone has, in place of the next page. Undefined: the answer has nothing of its own. */
  page?(frame: Frame, answer: Answered, form: FormFields): string | undefined;
  /** Address of the next page. Undefined: the nearest page above the address of the form. */
  to?(answer: Answered): string;
  /** Name of the notice on the next page. Undefined: that of the act. */
  done?(answer: Answered): string;
  /** True: the next case is claimed and opened after it, if the address of the form says `then=next`. */
  readonly leadsOn?: true;
}
