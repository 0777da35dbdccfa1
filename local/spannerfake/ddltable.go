package spannerfake

import (
	"slices"
	"strings"

	"github.com/cloudspannerecosystem/memefish/ast"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func nameOf(p *ast.Path) (schema, name string) {
	name = p.Idents[len(p.Idents)-1].Name
	if len(p.Idents) > 1 {
		schema = p.Idents[0].Name
	}
	return schema, name
}

func spell(p *ast.Path) string {
	schema, name := nameOf(p)
	return (&table{schema: schema, name: name}).spelled()
}

func (d *Database) createTable(st *ast.CreateTable, text string) error {
	t := &table{}
	t.schema, t.name = nameOf(st.Name)
	if t.schema != "" && !slices.Contains(d.schemas, t.schema) {
		return status.Errorf(codes.NotFound, "Schema not found: %s", t.schema)
	}
	if d.tables[t.spelled()] != nil || d.streams[t.spelled()] != nil {
		if st.IfNotExists {
			return nil
		}
		return duplicate(t.spelled())
	}
	keys := st.PrimaryKeys
	for _, def := range st.Columns {
		if err := t.add(def, text); err != nil {
			return err
		}
		if def.PrimaryKey {
			keys = append(keys, &ast.IndexKey{Name: def.Name})
		}
	}
	for _, c := range st.TableConstraints {
		if pk, ok := c.Constraint.(*ast.TablePrimaryKey); ok {
			keys = append(keys, pk.Columns...)
		}
	}
	for _, k := range keys {
		c := t.column(k.Name.Name)
		if c == nil {
			return status.Errorf(codes.InvalidArgument, "Table %s references nonexistent key column %s", t.spelled(), k.Name.Name)
		}
		c.inKey = true
		t.key = append(t.key, keyPart{c, k.Dir == ast.DirectionDesc})
	}
	if st.Cluster != nil {
		t.parent = d.tables[spell(st.Cluster.TableName)]
		if t.parent == nil {
			return status.Errorf(codes.NotFound, "Table not found: %s", spell(st.Cluster.TableName))
		}
		if len(t.key) < len(t.parent.key) {
			return status.Errorf(codes.InvalidArgument, "Table %s does not reference all parent key columns of %s", t.spelled(), t.parent.spelled())
		}
		t.interleaved, t.cascade = "IN", st.Cluster.OnDelete == ast.OnDeleteCascade
		if st.Cluster.Enforced {
			t.interleaved = "IN PARENT"
		}
		t.parent.children = append(t.parent.children, t)
	}
	if st.RowDeletionPolicy != nil {
		t.policy = policyText(st.RowDeletionPolicy.RowDeletionPolicy)
	}
	d.tables[t.spelled()] = t
	d.order = append(d.order, t)
	return nil
}

func policyText(p *ast.RowDeletionPolicy) string {
	return strings.TrimSuffix(strings.TrimPrefix(p.SQL(), "ROW DELETION POLICY ("), ")")
}

func (d *Database) alterTable(st *ast.AlterTable, text string) error {
	t := d.tables[spell(st.Name)]
	if t == nil {
		return status.Errorf(codes.NotFound, "Table not found: %s", spell(st.Name))
	}
	switch alter := st.TableAlteration.(type) {
	case *ast.AddColumn:
		if alter.IfNotExists && t.column(alter.Column.Name.Name) != nil {
			return nil
		}
		if err := t.add(alter.Column, text); err != nil {
			return err
		}
		for _, s := range d.listed {
			if err := d.trackedTooOften(s); err != nil {
				t.columns = t.columns[:len(t.columns)-1]
				return err
			}
		}
		return nil
	case *ast.DropColumn:
		c := t.column(alter.Name.Name)
		if c == nil {
			return status.Errorf(codes.NotFound, "Column not found in table %s: %s", t.spelled(), alter.Name.Name)
		}
		return d.dropColumn(t, c)
	case *ast.AlterColumn:
		c := t.column(alter.Name.Name)
		if c == nil {
			return status.Errorf(codes.NotFound, "Column not found in table %s: %s", t.spelled(), alter.Name.Name)
		}
		return c.alter(t, alter.Alteration, text)
	case *ast.AddRowDeletionPolicy:
		t.policy = policyText(alter.RowDeletionPolicy)
		return nil
	case *ast.ReplaceRowDeletionPolicy:
		t.policy = policyText(alter.RowDeletionPolicy)
		return nil
	case *ast.DropRowDeletionPolicy:
		t.policy = ""
		return nil
	}
	return status.Errorf(codes.Unimplemented, "the fake does not know the statement: %s", st.SQL())
}

// dropTable takes a table away unless a stream names it or a table is interleaved in it.
func (d *Database) dropTable(st *ast.DropTable) error {
	t := d.tables[spell(st.Name)]
	if t == nil {
		if st.IfExists {
			return nil
		}
		return status.Errorf(codes.NotFound, "Table not found: %s", spell(st.Name))
	}
	var by []string
	for _, s := range d.listed {
		if !s.all && s.sees(t) != nil {
			by = append(by, s.name)
		}
	}
	if len(by) > 0 {
		return status.Errorf(codes.FailedPrecondition, "Cannot drop table %s. Table %s is tracked by %d Change Stream: %s. Tables explicitly tracked by a Change Stream cannot be dropped. Please drop the Change Stream or modify its FOR clause to stop tracking the table explicitly before dropping the table.", t.spelled(), t.spelled(), len(by), strings.Join(by, ","))
	}
	if len(t.children) > 0 {
		return status.Errorf(codes.FailedPrecondition, "Cannot drop table %s with interleaved tables.", t.spelled())
	}
	if t.parent != nil {
		t.parent.children = slices.DeleteFunc(t.parent.children, func(o *table) bool { return o == t })
	}
	delete(d.tables, t.spelled())
	d.order = slices.DeleteFunc(d.order, func(o *table) bool { return o == t })
	return nil
}
