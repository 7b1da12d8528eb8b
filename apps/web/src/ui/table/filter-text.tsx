import { Autocomplete } from "@mantine/core";
import { useInputText } from "#ui/form/input-text.ts";

type FilterTextProps = {
  label: string;
  /** Suggested values. Any other value may be typed. */
  data?: string[];
  value: string;
  onChange: (value: string) => void;
  width?: number | string;
};

/** A filter by a complete value. It applies on selection, on Enter and on blur. */
export function FilterText({ label, data = [], value, onChange, width = 160 }: FilterTextProps) {
  const [text, setText, report] = useInputText(value, onChange);
  const commit = (next: string) => {
    if (next.trim() !== value) report(next.trim());
  };
  return (
    <Autocomplete
      aria-label={label}
      placeholder={label}
      w={width}
      data={data}
      limit={50}
      value={text}
      onChange={setText}
      onOptionSubmit={commit}
      onBlur={() => commit(text)}
      onKeyDown={(event) => {
        if (event.key === "Enter") commit(text);
      }}
      onClear={() => commit("")}
      clearable
      comboboxProps={{ width: 280, position: "bottom-start" }}
    />
  );
}
