// One field of an agent's form, with its label, its description and its error.

import { useId } from "react";
import { CheckBox } from "../shared/check-box.tsx";
import { ListBox } from "../shared/list-box.tsx";
import type { FormField } from "./form-fields.ts";

type Value = string | boolean | readonly string[];

interface FormFieldProps {
  readonly field: FormField;
  readonly value: Value;
  readonly problem: string | null;
  readonly onChange: (value: Value) => void;
}

export function FormFieldView({ field, value, problem, onChange }: FormFieldProps) {
  const id = useId();
  const isGroup = field.type === "choices";
  const about = {
    id,
    "aria-describedby": `${id}-about`,
    "aria-invalid": problem !== null,
    "aria-required": field.isRequired,
  };
  return (
    <div
      className="form-field"
      data-type={field.type}
      role={isGroup ? "group" : undefined}
      aria-labelledby={isGroup ? `${id}-label` : undefined}
    >
      <label id={`${id}-label`} htmlFor={isGroup ? undefined : id}>
        {field.label}
        {!field.isRequired && field.type !== "yes-no" && <small> optional</small>}
      </label>
      <Control field={field} value={value} about={about} onChange={onChange} />
      <div id={`${id}-about`} className="form-about">
        {field.description !== "" && <p>{field.description}</p>}
        {problem !== null && <p className="small-error">{problem}</p>}
      </div>
    </div>
  );
}

interface About {
  readonly id: string;
  readonly "aria-describedby": string;
  readonly "aria-invalid": boolean;
  readonly "aria-required": boolean;
}

function Control({ field, value, about, onChange }: Omit<FormFieldProps, "problem"> & { about: About }) {
  switch (field.type) {
    case "yes-no":
      return (
        <CheckBox id={about.id} describedBy={about["aria-describedby"]} isOn={value === true} onChange={onChange} />
      );
    case "choice":
      return (
        <ListBox
          label={field.label}
          id={about.id}
          describedBy={about["aria-describedby"]}
          value={String(value)}
          onChange={onChange}
          options={[
            { value: "", name: field.isRequired ? "Choose …" : "none" },
            ...field.options.map((option) => ({ value: option.value, name: option.title })),
          ]}
        />
      );
    case "choices":
      return <Choices field={field} chosen={Array.isArray(value) ? value : []} about={about} onChange={onChange} />;
    case "number":
      return (
        <input
          {...about}
          type="number"
          inputMode={field.isWhole ? "numeric" : "decimal"}
          step={field.isWhole ? 1 : "any"}
          min={field.min ?? undefined}
          max={field.max ?? undefined}
          value={String(value)}
          onChange={(event) => onChange(event.target.value)}
        />
      );
    case "text":
      return (
        <input
          {...about}
          type={field.input}
          dir="auto"
          autoComplete="off"
          value={String(value)}
          onChange={(event) => onChange(event.target.value)}
        />
      );
  }
}

function Choices({
  field,
  chosen,
  about,
  onChange,
}: {
  field: Extract<FormField, { type: "choices" }>;
  chosen: readonly string[];
  about: About;
  onChange: (value: readonly string[]) => void;
}) {
  return (
    <div className="form-choices">
      {field.options.map(({ value, title }, index) => (
        <label key={value}>
          <CheckBox
            // The first one has the id of the group.
            id={index === 0 ? about.id : undefined}
            describedBy={about["aria-describedby"]}
            isOn={chosen.includes(value)}
            onChange={(isOn) => onChange(isOn ? [...chosen, value] : chosen.filter((other) => other !== value))}
          />
          {title}
        </label>
      ))}
    </div>
  );
}
